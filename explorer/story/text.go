package story

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Text is one text in both languages.
type Text struct{ EN, FR string }

// Same returns a text that needs no translation: a name, a plan, a command.
func Same(s string) Text { return Text{s, s} }

// MarshalJSON writes one string where the languages agree, and a pair of them otherwise.
func (t Text) MarshalJSON() ([]byte, error) {
	if t.EN == t.FR {
		return json.Marshal(t.EN)
	}
	return json.Marshal([2]string{t.EN, t.FR})
}

// Format fills both languages' formats; an argument that is a Text goes in by its language.
func (t Text) Format(args ...any) Text {
	en, fr := make([]any, len(args)), make([]any, len(args))
	for i, a := range args {
		en[i], fr[i] = a, a
		if both, ok := a.(Text); ok {
			en[i], fr[i] = both.EN, both.FR
		}
	}
	return Text{fmt.Sprintf(t.EN, en...), fmt.Sprintf(t.FR, fr...)}
}

// join puts texts beside each other.
func join(texts []Text, by string) Text {
	var en, fr []string
	for _, t := range texts {
		en, fr = append(en, t.EN), append(fr, t.FR)
	}
	return Text{strings.Join(en, by), strings.Join(fr, by)}
}

// count returns a number with its noun.
func count(n int, one, many Text) Text {
	noun := many
	if n == 1 {
		noun = one
	}
	return Text{fmt.Sprintf("%d %s", n, noun.EN), fmt.Sprintf("%d %s", n, noun.FR)}
}

// Money returns an amount as each language writes it: "9.95 CAD" and "9,95 $ CA". Units: cents.
func Money(cents int64, currency string) Text {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	units, rest := cents/100, cents%100
	french := currency
	if currency == "CAD" {
		french = "$ CA"
	}
	return Text{strings.TrimSpace(fmt.Sprintf("%s%d.%02d %s", sign, units, rest, currency)),
		strings.TrimSpace(fmt.Sprintf("%s%d,%02d\u00a0%s", sign, units, rest, strings.ReplaceAll(french, " ", "\u00a0")))}
}
