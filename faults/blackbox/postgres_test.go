//go:build linux && amd64

package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// postgresSettings leave a server only what the workload makes it do, where a copy of its folder holds it:
// no network, no shared memory that a killed server would leave elsewhere.
const postgresSettings = `
listen_addresses = ''
dynamic_shared_memory_type = mmap
max_connections = 10
shared_buffers = 1MB
wal_writer_delay = 10s
`

// postgresRows is how many transactions the workload has, a row in each of two tables.
const postgresRows = 40

// A database server with its processes, killed at calls spread over a workload and started again: what it
// acknowledged is there, no transaction is half there, and the workload comes to its end with each row once.
func TestSweep_PostgreSQL(t *testing.T) {
	forTheGate(t)
	need(t)
	tools := postgresTools(t)
	if asOrdinaryUser(t) {
		return
	}
	r := steadySweep(t, postgres(t, tools, ""))
	t.Logf("%d calls; %s; left out: %s", r.Calls, r.Kills, r.LeftOut)
	if len(r.Violations) > 0 || r.Kills.Landed != 12 || r.Kills.States < 6 || len(r.Outside) > 0 || !strings.Contains(r.LeftOut, "kills were left out") {
		t.Errorf("%+v", r)
	}
}

// A server that acknowledges before it writes loses what it acknowledged, and a kill shows it.
func TestSweep_PostgreSQLWithoutWaiting(t *testing.T) {
	forTheGate(t)
	need(t)
	tools := postgresTools(t)
	if asOrdinaryUser(t) {
		return
	}
	r := steadySweep(t, postgres(t, tools, "synchronous_commit = off\n"))
	t.Logf("%d calls; %s", r.Calls, r.Kills)
	if r.Kills.Violations[blackbox.LostWrite] == 0 || len(r.Kills.Violations) > 1 {
		t.Errorf("%+v", r)
	}
}

// steadySweep tries again where two undisturbed runs differ: a server's background processes write when they
// get the time to.
func steadySweep(t *testing.T, cfg blackbox.Config) *blackbox.Report {
	t.Helper()
	for try := 1; ; try++ {
		r, err := blackbox.Sweep(context.Background(), cfg)
		var unstable *blackbox.UnstableError
		if err == nil {
			return r
		}
		if !errors.As(err, &unstable) || try == 20 {
			t.Fatalf("try %d: %v\n%+v", try, err, r)
		}
		t.Logf("try %d: %v", try, err)
	}
}

// postgresTools returns the folder of the server's programs, which Debian keeps out of the path.
func postgresTools(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if path, err := exec.LookPath("postgres"); err == nil {
		found = append(found, path)
	}
	for i := len(found) - 1; i >= 0; i-- {
		real, err := filepath.EvalSymlinks(found[i])
		if err != nil {
			continue
		}
		dir := filepath.Dir(real)
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			return dir
		}
	}
	t.Skip("needs postgres")
	return ""
}

// postgres returns the configuration that runs a server and a workload on it. Files named by a process's
// number, and the log, don't count.
func postgres(t *testing.T, tools, settings string) blackbox.Config {
	cfg := target(t)
	cfg.Template = t.TempDir()
	cfg.Env = []string{"PATH=" + tools + ":" + os.Getenv("PATH"), "LC_ALL=C", "PGUSER=shop", "PGDATABASE=postgres"}
	run := func(script string) {
		t.Helper()
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Dir, cmd.Env = cfg.Template, append(cfg.Env, "PWD="+cfg.Template)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	write(t, cfg.Template, map[string]string{"work.sql": postgresWork(), "rows": strings.Join(postgresNames(), "\n") + "\n"})
	run("initdb -D data -A trust -U shop -E UTF8 --locale=C --no-sync --wal-segsize=1")
	write(t, cfg.Template, map[string]string{"data/postgresql.auto.conf": postgresSettings + settings})
	run(withServer(`query -c 'create table a (id text); create table b (id text)'`))
	const look = `query -c 'select id from a order by id' >a.NAME; query -c 'select id from b order by id' >b.NAME` + "\n"
	found, end := strings.ReplaceAll(look, "NAME", "found"), strings.ReplaceAll(look, "NAME", "end")
	cfg.Command = []string{"/bin/sh", "-c", withServer("query -f work.sql\n" + found + end)}
	cfg.Recover = []string{"/bin/sh", "-c", withServer(found + "query -f work.sql >again\n" + end)}
	cfg.Check = []string{"/bin/sh", "-c", postgresCheck}
	cfg.Acked = regexp.MustCompile(`^acked (.*)`)
	cfg.Ignore = []string{"log", "pg_internal.init*", "data/pg_dynshmem/**"}
	cfg.Limits.Timeout = time.Minute
	cfg.MaxKills = 12
	return cfg
}

// withServer returns a script that does something while a server runs on the folder data. It is silent: of the points
// that pg_ctl prints while it waits there are more on a busy machine, and each is a call.
func withServer(do string) string {
	return `set -e
query() { psql -h "$PWD" -qAtX -v ON_ERROR_STOP=1 "$@"; }
pg_ctl -s -D data -w -l log -o "-k '$PWD'" start >started
` + do + `
pg_ctl -s -D data -w -m fast stop >stopped`
}

func postgresNames() []string {
	var out []string
	for i := range postgresRows {
		out = append(out, fmt.Sprintf("row-%02d", i))
	}
	return out
}

// postgresWork is one transaction per row, each made once however often the workload runs.
func postgresWork() string {
	var b strings.Builder
	for i, name := range postgresNames() {
		b.WriteString("begin;\n")
		for _, table := range []string{"a", "b"} {
			fmt.Fprintf(&b, "insert into %s select '%s' where not exists (select from %[1]s where id = '%[2]s');\n", table, name)
		}
		fmt.Fprintf(&b, "commit;\n\\echo acked %s\n", name)
		if i == postgresRows/2 {
			b.WriteString("checkpoint;\n")
		}
	}
	return b.String()
}

const postgresCheck = `
cmp -s a.found b.found || { echo "state-mismatch: a transaction is half there"; exit 1; }
test -z "$(uniq -d a.found)" || { echo "double-write: a row stands twice"; exit 1; }
gone=$(sort "$PAYTWICE_ACKED" | comm -23 - a.found)
test -z "$gone" || { echo "lost-write: acknowledged and gone:" $gone; exit 1; }
cmp -s a.end rows && cmp -s b.end rows || { echo "state-mismatch: the workload did not come to its end"; exit 1; }
`
