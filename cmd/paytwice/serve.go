package main

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer/page"
)

type serveFlags struct {
	pageFlags
	listen  string
	exposed bool
}

func (p *program) serve() *cobra.Command {
	o := &serveFlags{}
	c := &cobra.Command{
		Use:   "serve [flags]",
		Short: "The explorer page, served to this machine",
		Long: "Makes the page once, prints its address and serves it until it is stopped. The server holds that\n" +
			"one page and nothing else: no request starts a run, reads a file or changes anything.",
		Example: "  paytwice serve\n  paytwice serve --from report.json --listen 127.0.0.1:0",
		Args:    cli.NoArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return p.runServe(c, o) },
	}
	o.pageFlags.add(c)
	c.Flags().StringVar(&o.listen, "listen", "127.0.0.1:8090", "address to serve on")
	c.Flags().BoolVar(&o.exposed, "expose", false, "allow an address that other machines reach: whoever gets there sees the page")
	return c
}

func (p *program) runServe(c *cobra.Command, o *serveFlags) error {
	if err := o.checkPage(c); err != nil {
		return err
	}
	// The address first: nobody waits for runs to hear that it is taken.
	l, err := o.open()
	if err != nil {
		return err
	}
	defer l.Close()
	document, unfilled, err := p.pageDocument(c, &o.pageFlags)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Write(&b, document); err != nil {
		return err
	}
	p.out.Printf("http://%s/\n", l.Addr())
	if err := serve(c.Context(), l, pageServer(b.Bytes())); err != nil {
		return err
	}
	return unfilled
}

func (o *serveFlags) open() (net.Listener, error) {
	if o.exposed {
		return listen(o.listen)
	}
	l, err := loopback(o.listen)
	if errors.Is(err, errReachable) {
		return nil, cli.WrongUse("%w; --expose allows others", err)
	}
	return l, err
}

// pageServer has bounds for requests of whoever gets there: all that it is asked for is small.
func pageServer(content []byte) *http.Server {
	return &http.Server{Handler: pageHandler(content), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10}
}

// pageHandler answers with one page, whoever asks in the right way.
func pageHandler(content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", page.Policy()+"; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !byAddress(r.Host):
			// A name that somebody else has pointed at this machine, so that their page may read ours.
			http.Error(w, "ask for this page by its address", http.StatusMisdirectedRequest)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "this page can be read, and nothing else", http.StatusMethodNotAllowed)
		case r.URL.Path != "/":
			http.Error(w, "there is one page here: /", http.StatusNotFound)
		default:
			h.Set("Content-Type", "text/html; charset=utf-8")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}
	})
}

// byAddress reports whether a request names this server by an IP address or as localhost.
func byAddress(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.EqualFold(host, "localhost") || net.ParseIP(host) != nil
}
