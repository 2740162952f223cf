package services

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

const (
	bestPassages = 3
	// minWordLetters keeps short words, which stand in every passage, out of a query.
	minWordLetters = 3
	// maxRemembered bounds the answers that are kept; a query beyond it is searched each time.
	maxRemembered = 1024
)

// SearchPolicy implements [resolver.Policy]: the best three passages, or none when no word matches.
func (d desk) SearchPolicy(ctx context.Context, query string) ([]resolver.Passage, error) {
	if err := d.struckRead(ctx, "search_policy"); err != nil {
		return nil, err
	}
	return d.world.policy.search(ctx, query)
}

// policyIndex searches the policy. The index is opened at the first search, because most programs that
// use the services never search; answers are kept, because the policy never changes.
type policyIndex struct {
	passages []resolver.Passage

	mu         sync.Mutex
	db         *sql.DB
	remembered map[string][]resolver.Passage
}

// search returns the passages that match any word of a query, best first.
//
// Source: SQLite FTS5, https://www.sqlite.org/fts5.html (unicode61 without diacritics, bm25).
func (p *policyIndex) search(ctx context.Context, query string) ([]resolver.Passage, error) {
	match := matchAny(query)
	if match == "" {
		return []resolver.Passage{}, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if found, ok := p.remembered[match]; ok {
		return slices.Clone(found), nil
	}
	if err := p.open(ctx); err != nil {
		return nil, fmt.Errorf("policy index: %w", err)
	}
	found, err := p.query(ctx, match)
	if err != nil {
		return nil, fmt.Errorf("policy search: %w", err)
	}
	if len(p.remembered) < maxRemembered {
		p.remembered[match] = found
	}
	return slices.Clone(found), nil
}

func (p *policyIndex) open(ctx context.Context) error {
	if p.db != nil {
		return nil
	}
	if p.passages == nil {
		p.passages = larkfield.Policy()
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1) // every further connection would be another, empty database
	if err := fill(ctx, db, p.passages); err != nil {
		db.Close()
		return err
	}
	p.db, p.remembered = db, map[string][]resolver.Passage{}
	return nil
}

func fill(ctx context.Context, db *sql.DB, passages []resolver.Passage) error {
	const table = `CREATE VIRTUAL TABLE passages USING fts5(title, section, text, place UNINDEXED, tokenize = 'unicode61 remove_diacritics 2')`
	if _, err := db.ExecContext(ctx, table); err != nil {
		return err
	}
	for i, p := range passages {
		if _, err := db.ExecContext(ctx, `INSERT INTO passages VALUES (?, ?, ?, ?)`, p.Title, p.ID, p.Text, i); err != nil {
			return err
		}
	}
	return nil
}

func (p *policyIndex) query(ctx context.Context, match string) ([]resolver.Passage, error) {
	rows, err := p.db.QueryContext(ctx,
		`SELECT place FROM passages WHERE passages MATCH ? ORDER BY bm25(passages), section LIMIT ?`, match, bestPassages)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []resolver.Passage{}
	for rows.Next() {
		var place int
		if err := rows.Scan(&place); err != nil {
			return nil, err
		}
		found = append(found, p.passages[place])
	}
	return found, rows.Err()
}

// matchAny returns the query's words as an FTS5 expression, or nothing if none is long enough. Each
// word is quoted, so nothing in a query can be an operator.
func matchAny(query string) string {
	words := strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	var quoted []string
	for _, w := range words {
		if utf8.RuneCountInString(w) >= minWordLetters {
			quoted = append(quoted, `"`+w+`"`)
		}
	}
	return strings.Join(quoted, " OR ")
}
