package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// The elements of JUnit XML, as Jenkins's schema and GitLab's reader take them. No element has a time: a
// document says nothing of the clock, and reports of one document are equal.
//
// Source: testdata/junit/jenkins-junit.xsd
type (
	junitReport struct {
		XMLName  xml.Name      `xml:"testsuites"`
		Name     string        `xml:"name,attr"`
		Tests    int           `xml:"tests,attr"`
		Failures int           `xml:"failures,attr"`
		Errors   int           `xml:"errors,attr"`
		Suites   []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string           `xml:"name,attr"`
		Tests      int              `xml:"tests,attr"`
		Failures   int              `xml:"failures,attr"`
		Errors     int              `xml:"errors,attr"`
		Skipped    int              `xml:"skipped,attr"`
		Properties *junitProperties `xml:"properties"`
		Cases      []junitCase      `xml:"testcase"`
		names      map[string]bool
	}
	junitProperties struct {
		Properties []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		Classname string        `xml:"classname,attr"`
		Skipped   string        `xml:"skipped,omitempty"`
		Error     *junitProblem `xml:"error"`
		Failure   *junitProblem `xml:"failure"`
		Out       string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func newJUnit() *junitReport { return &junitReport{Name: "paytwice"} }

// suite returns the suite SCENARIO/STRATEGY, or of the scenario alone, and makes it where there is none yet.
func (r *junitReport) suite(scenario, strategy string, properties ...junitProperty) *junitSuite {
	name := oneLine(scenario)
	if strategy != "" {
		name += "/" + oneLine(strategy)
	}
	for _, s := range r.Suites {
		if s.Name == name {
			return s
		}
	}
	s := &junitSuite{Name: name, names: map[string]bool{}}
	if len(properties) > 0 {
		s.Properties = &junitProperties{properties}
	}
	r.Suites = append(r.Suites, s)
	return s
}

func property(name string, value any) junitProperty {
	return junitProperty{name, oneLine(fmt.Sprint(value))}
}

// add counts a case. The same name twice gets a number: GitLab drops a case whose name it has seen.
func (s *junitSuite) add(c junitCase) {
	c.Classname = s.Name
	name := c.Name
	for n := 2; s.names[c.Name]; n++ {
		c.Name = fmt.Sprintf("%s (%d)", name, n)
	}
	s.names[c.Name] = true
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Error != nil:
		s.Errors++
	case c.Failure != nil:
		s.Failures++
	case c.Skipped != "":
		s.Skipped++
	}
}

// caseName is TICKET/ACTION/PROVIDER/POINT; a part that there is not is "-".
func caseName(ticket, action, provider, point string) string {
	return oneLine(strings.Join([]string{dash(ticket), dash(action), dash(provider), dash(point)}, "/"))
}

// lines joins texts that are inert, each on a line of its own, and leaves out the empty ones.
func lines(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n")
}

// labelled is one line of a case's text, empty where the value is.
func labelled(label, value string) string {
	if value == "" {
		return ""
	}
	return label + " " + oneLine(value)
}

func (r *junitReport) write(w io.Writer) error {
	for _, s := range r.Suites {
		r.Tests += s.Tests
		r.Failures += s.Failures
		r.Errors += s.Errors
	}
	text, err := xml.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

// FaultJUnit writes the report of a command that the harness could not finish: one case, which is an error.
func FaultJUnit(w io.Writer, command string, fault error) error {
	r := newJUnit()
	r.suite(command, "").add(junitCase{Name: caseName("", "", "", "the harness"), Error: harness(fault.Error())})
	return r.write(w)
}

// harness is an error of the harness's own: what should have been injected was not, so nothing is known.
func harness(text string) *junitProblem {
	return &junitProblem{Type: "harness", Message: oneLine(text), Text: oneLine(text)}
}

// judged fills a case by its verdict. What is no pass is never shown as one.
func (c *junitCase) judged(v history.Verdict, reason string, problem *junitProblem) {
	switch {
	case problem != nil:
		c.Failure = problem
	case v == history.Undecided:
		c.Skipped = "undecided: " + oneLine(reason)
	case v != history.Pass:
		c.Error = harness(fmt.Sprintf("no verdict that this build knows: %q", v))
	}
}
