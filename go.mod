module github.com/paytwice/paytwice

go 1.26.0

require (
	github.com/chromedp/cdproto v0.160.1 // tests: what the browser reports, as chromedp speaks it
	github.com/chromedp/chromedp v0.23.1 // tests: the explorer page in a real browser
	github.com/creack/pty v1.1.24 // tests: a terminal that a progress bar is drawn on
	github.com/google/go-cmp v0.7.0 // tests: shows how two values differ
	github.com/jedib0t/go-pretty/v6 v6.9.2 // tables that stay aligned under colour
	github.com/leanovate/gopter v0.2.11 // the subject of gopterplan
	github.com/rogpeppe/go-internal v1.16.0 // tests: command lines as small archives (testscript)
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // tests: every JSON document against its schema
	github.com/schollz/progressbar/v3 v3.19.1 // progress on a terminal
	github.com/spf13/cobra v1.10.2 // subcommands, help and flags of the programs in cmd
	github.com/spf13/pflag v1.1.0 // cobra's flags; fixed so that its typed errors stay
	golang.org/x/sys v0.49.0 // ptrace and seccomp of the black box, which package syscall lacks
	golang.org/x/term v0.44.0 // tells whether a terminal watches
	modernc.org/sqlite v1.62.0 // the stores, without cgo
	pgregory.net/rapid v1.3.0 // property tests, and the plans that they draw
)

require (
	github.com/cpuguy83/go-md2man/v2 v2.0.6 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	go.yaml.in/yaml/v3 v3.0.4 // indirect
	golang.org/x/text v0.22.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
