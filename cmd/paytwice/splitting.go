package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/parts"
)

// splitting says which part of a run is made here, and what of it was made already.
type splitting struct {
	shard  shardFlag
	resume string
}

func (s *splitting) add(f *pflag.FlagSet) {
	f.Var(&s.shard, "shard", "make only the I-th of N parts, such as 2/7; merge joins them")
	f.StringVar(&s.resume, "resume", "", "go on with an interrupted run from its report (JSON)")
}

// shardFlag is a pflag.Value.
type shardFlag struct{ parts.Shard }

// Set implements pflag.Value.
func (s *shardFlag) Set(text string) (err error) {
	s.Shard, err = parts.ParseShard(text)
	return err
}

// Type implements pflag.Value; help shows it.
func (s *shardFlag) Type() string { return "I/N" }

// notDeciding are the flags that change no result.
var notDeciding = []string{"workers", "quiet", "format", "output", "shard", "resume", "baseline", "update-baseline", "help"}

// askedFor returns the command line as far as it decides the result: flags that are their defaults say nothing,
// but for those whose mere presence means something.
func askedFor(c *cobra.Command, args []string) history.Asked {
	a := history.Asked{Command: c.Name(), Arguments: args, Flags: map[string]string{}}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(notDeciding, f.Name) {
			return
		}
		value := f.Value.String()
		if value != f.DefValue || f.Changed && (f.Name == "mode" || f.Name == "faults") {
			a.Flags[f.Name] = value
		}
	})
	return a
}

// here is the run of a command line, as its reports name it.
func (s *splitting) here(c *cobra.Command, args []string) parts.Here {
	return parts.Here{Run: askedFor(c, args), Version: cli.Version(), Shard: s.shard.Shard}
}

// part returns what a document that is not whole says of itself, nil for one that is.
func (s *splitting) part(h parts.Here, settings int, cases []history.Case, interrupted bool) *history.Part {
	if s.shard.Whole() && !interrupted {
		return nil
	}
	return &history.Part{Run: h.Run, Version: h.Version, Build: cli.Build(), Settings: settings, Cases: cases}
}

// had reads what an interrupted run had done; nothing without --resume.
func had[T any](s *splitting, h parts.Here, take func(parts.Document, parts.Here) ([]parts.Piece[T], error)) ([]parts.Piece[T], error) {
	if s.resume == "" {
		return nil, nil
	}
	d, err := parts.Read(s.resume)
	if err != nil {
		return nil, cli.WrongUse("--resume %w", err)
	}
	h.Build = cli.Build()
	done, err := take(d, h)
	if err != nil {
		return nil, cli.WrongUse("--resume %w", err)
	}
	return done, nil
}

// idle says that a shard has nothing to do: an empty report must not look like one that ran and found nothing.
func (p *program) idle(s *splitting, cases int, of string) {
	if !s.shard.Whole() && cases == 0 {
		p.note(fmt.Sprintf("shard %s has nothing to do: the run has fewer %s than shards", s.shard, of))
	}
}

// goesOn adds to what an interrupted run left out how it goes on, where it left the report for that.
func (d *destination) goesOn(leftOut string) string {
	if leftOut == "" || d.format != "json" || d.target == "" {
		return leftOut
	}
	return leftOut + "; the same command with --resume " + quote(d.target) + " goes on"
}

// leftOpen returns the error of an interrupted command, unless something worse is known. It counts all that was left
// out, where the searches know only of themselves.
func leftOpen(err error, leftOut string) error {
	var known *verdictError
	undecided := errors.As(err, &known) && known.code == exitUndecided
	if leftOut == "" || err != nil && !undecided {
		return err
	}
	return verdict(0, 1, leftOut)
}
