package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/paytwice/paytwice/explorer/history"
)

//go:embed page.html
var markup string

//go:embed page.css
var style string

//go:embed page.js
var script string

// Write writes a document as one HTML page: a history.Matrix, Exploration, Explorations, Audit, Exec or
// History, a [Recorded] matrix, [Searched] explorations, or an [Explorer].
//
// Errors: ErrNoDocument for anything else; what w returns.
// Determinism: the same document gives the same bytes.
func Write(w io.Writer, document any) error {
	d := newData()
	if err := d.add(document); err != nil {
		return err
	}
	// Marshal leaves no <, > or & and no line separator of JavaScript's in the data: no text ends the script
	// element that holds it.
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, map[string]any{
		"Policy": Policy(),
		"Style":  template.HTML("<style>" + style + "</style>"),
		"Script": template.HTML("<script>" + script + "</script>"),
		"Data":   template.HTML(`<script type="application/json" id="data">` + string(data) + "</script>"),
		"Lesson": d.Lesson,
	})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"t": func(key string) (string, error) {
		text, ok := texts[key]
		if !ok {
			return "", fmt.Errorf("no text %q", key)
		}
		return text.EN, nil
	},
}).Parse(markup))

// Policy returns the content security policy of the page: its own style and script, by their hashes, and
// nothing else. A server sends it; the page names it, too, for those who open the file.
func Policy() string {
	return "default-src 'none'; script-src 'sha256-" + digest(script) + "'; style-src 'sha256-" + digest(style) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func (d *data) add(document any) error {
	switch v := document.(type) {
	case Explorer:
		d.Lesson = d.lesson(v.Lesson)
		d.matrix(v.Map)
		d.Report.Title = d.ui("map.title")
		d.Report.Lead = d.both("map.lead", "runs."+v.Map.Matrix.Mode)
	case Recorded:
		d.matrix(v)
	case history.Matrix:
		d.matrix(Recorded{Matrix: v})
	case Searched:
		d.explorations(v)
	case history.Exploration:
		d.explorations(Searched{Explorations: history.Explorations{Runs: []history.Exploration{v}}})
	case history.Explorations:
		d.explorations(Searched{Explorations: v})
	case history.Audit:
		d.audit(v)
	case history.Exec:
		d.exec(v)
	case history.History:
		d.history(v)
	default:
		return fmt.Errorf("%w: %T", ErrNoDocument, document)
	}
	return nil
}
