package main

import (
	"io"
	"os"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/page"
	"github.com/paytwice/paytwice/explorer/parts"
	"github.com/paytwice/paytwice/reports"
	"github.com/paytwice/paytwice/scenarios/tour"
)

// forms are the formats that one command can give its document. JSON is the document itself; what is nil,
// there is not.
type forms[D any] struct {
	text                       func(io.Writer, D, reports.Style) error
	markdown, junit, html, svg func(io.Writer, D) error
	// document is what JSON holds, where that is not the document itself.
	document func(D) any
	// annotations are what GitHub shows beside a run.
	annotations func(D) []reports.Annotation
}

var (
	matrixForms = forms[history.Matrix]{text: reports.MatrixText, markdown: reports.MatrixMarkdown, junit: reports.MatrixJUnit, svg: reports.MatrixSVG, html: matrixPage,
		document: matrixDocument}
	// checkForms are the gate's: its JSON is one form however many searches there are.
	checkForms = forms[history.Explorations]{text: reports.ExplorationsText, markdown: reports.ExplorationsMarkdown, junit: reports.ExplorationsJUnit,
		html: searchPage, annotations: reports.ExplorationsAnnotations, document: checkDocument}
	// exploreForms give one search whole, several as one document.
	exploreForms = forms[history.Explorations]{text: exploreText, markdown: reports.ExplorationsMarkdown, junit: reports.ExplorationsJUnit,
		html: searchPage, annotations: reports.ExplorationsAnnotations, document: exploreDocument}
	auditForms  = forms[history.Audit]{text: reports.AuditText, markdown: reports.AuditMarkdown, junit: reports.AuditJUnit, html: asPage[history.Audit], annotations: reports.AuditAnnotations}
	execForms   = forms[history.Exec]{text: reports.ExecText, markdown: reports.ExecMarkdown, junit: reports.ExecJUnit, html: asPage[history.Exec], annotations: reports.ExecAnnotations}
	replayForms = forms[history.History]{text: reports.HistoryText, markdown: reports.HistoryMarkdown, junit: reports.HistoryJUnit, html: asPage[history.History], annotations: reports.HistoryAnnotations}
	showForms   = forms[history.History]{text: storyText, markdown: reports.StoryMarkdown, junit: reports.HistoryJUnit, html: asPage[history.History]}
	pointForms  = forms[history.PointList]{text: reports.PointsText}
)

// asPage writes a document as a page by itself.
func asPage[D any](w io.Writer, d D) error { return page.Write(w, d) }

// matrixPage is a matrix's page, with what its names stand for.
func matrixPage(w io.Writer, m history.Matrix) error { return page.Write(w, named(m)) }

// searchPage is the page of searches, with what the names in them stand for.
func searchPage(w io.Writer, d history.Explorations) error { return page.Write(w, named(d)) }

// named adds to a document what the names in it stand for.
func named(document any) any {
	switch d := document.(type) {
	case history.Matrix:
		return page.Recorded{Matrix: d, Glossary: tour.Glossary()}
	case history.Explorations:
		return page.Searched{Explorations: d, Glossary: tour.Glossary()}
	case history.Exploration:
		return named(history.Explorations{Runs: []history.Exploration{d}})
	}
	return document
}

// names are what --format takes.
func (f forms[D]) names() []string {
	names := []string{"text", "json"}
	for _, n := range []string{"markdown", "junit", "html", "svg"} {
		if f.form(n) != nil {
			names = append(names, n)
		}
	}
	return names
}

func (f forms[D]) form(name string) func(io.Writer, D) error {
	return map[string]func(io.Writer, D) error{"markdown": f.markdown, "junit": f.junit, "html": f.html, "svg": f.svg}[name]
}

func (f forms[D]) write(w io.Writer, s reports.Style, format string, d D) error {
	switch form := f.form(format); {
	case form != nil:
		return form(w, d)
	case format == "json" && f.document != nil:
		return reports.WriteJSON(w, f.document(d))
	case format == "json":
		return reports.WriteJSON(w, d)
	default:
		return f.text(w, d, s)
	}
}

// deliver writes a command's document where it is to go, and annotates what it found in a step of GitHub's.
func deliver[D any](p *program, to *destination, f forms[D], format string, d D) error {
	if err := to.write(func(w io.Writer, s reports.Style) error { return f.write(w, s, format, d) }); err != nil {
		return err
	}
	if f.annotations == nil || !onGitHub(os.Getenv("GITHUB_ACTIONS")) {
		return nil
	}
	// The runner reads standard error, too: results go to standard output alone.
	return reports.WriteAnnotations(p.errOut, f.annotations(d))
}

// onGitHub reads GITHUB_ACTIONS: GitHub sets it to true, other runners of its steps to something.
func onGitHub(value string) bool { return value != "" && value != "false" && value != "0" }

func single(d history.Explorations) bool {
	return len(d.Runs) == 1 && d.LeftOut == nil && d.Shard == "" && (d.Part == nil || d.Part.Settings == 1)
}

// matrixDocument and checkDocument are the documents, sealed where they are parts.
func matrixDocument(m history.Matrix) any {
	m.Part = parts.Document{Matrix: &m}.Sealed()
	return m
}

func checkDocument(d history.Explorations) any {
	d.Part = parts.Document{Explorations: &d}.Sealed()
	return d
}

func exploreDocument(d history.Explorations) any {
	d.Part = parts.Document{Explorations: &d}.Sealed()
	if !single(d) {
		return d
	}
	e := d.Runs[0]
	e.Part = d.Part
	return e
}

func exploreText(w io.Writer, d history.Explorations, s reports.Style) error {
	if single(d) {
		return reports.ExplorationText(w, d.Runs[0], s)
	}
	return reports.ExplorationsText(w, d, s)
}

func storyText(w io.Writer, h history.History, s reports.Style) error {
	if _, err := io.WriteString(w, h.Scenario+" · "+h.Strategy+" · "+h.Provider+" · "+h.Plan+"\n\n"); err != nil {
		return err
	}
	return reports.StoryText(w, h, s)
}
