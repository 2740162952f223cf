package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
)

// Row sets the status of one ticket in a table ticket (id, status), and reads the row back as the update
// left it: UPDATE ... RETURNING.
type Row struct {
	DB     *sql.DB
	ID     string
	Status string

	before   string
	returned []string
}

// Do implements Action.
func (r *Row) Do(ctx context.Context) error {
	if err := r.DB.QueryRowContext(ctx, `SELECT status FROM ticket WHERE id = ?`, r.ID).Scan(&r.before); err != nil {
		return err
	}
	rows, err := r.DB.QueryContext(ctx, `UPDATE ticket SET status = ? WHERE id = ? RETURNING status`, r.Status, r.ID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var status string
		if err := rows.Scan(&status); err != nil {
			return err
		}
		r.returned = append(r.returned, status)
	}
	return rows.Err()
}

// Verify implements Action: one row came back, and the row that stands there now says the same. A trigger
// runs after RETURNING has spoken, so the row itself is asked, too.
func (r *Row) Verify(ctx context.Context) (string, error) {
	if len(r.returned) != 1 || r.returned[0] != r.Status {
		return fmt.Sprintf("the update returned %q", r.returned), nil
	}
	var now string
	if err := r.DB.QueryRowContext(ctx, `SELECT status FROM ticket WHERE id = ?`, r.ID).Scan(&now); err != nil {
		return "", err
	}
	if now != r.Status {
		return fmt.Sprintf("the row says %q", now), nil
	}
	return "", nil
}

// Undo implements Action: in-band, the status as it was.
func (r *Row) Undo(ctx context.Context) error {
	_, err := r.DB.ExecContext(ctx, `UPDATE ticket SET status = ? WHERE id = ?`, r.before, r.ID)
	return err
}

// Mail submits a message, and looks for its id in the folder of what was really sent.
type Mail struct {
	// Submit hands a message to the mail system; it returns once it was accepted.
	Submit func(ctx context.Context, id, text string) error
	// Sent is the folder of the messages that were sent, a file each, named after the id.
	Sent string
	ID   string
	Text string
}

// Do implements Action.
func (m *Mail) Do(ctx context.Context) error { return m.Submit(ctx, m.ID, m.Text) }

// Verify implements Action.
func (m *Mail) Verify(context.Context) (string, error) {
	text, err := os.ReadFile(filepath.Join(m.Sent, m.ID))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "message " + m.ID + " is not in the sent folder", nil
	case err != nil:
		return "", err
	case string(text) != m.Text:
		return "message " + m.ID + " was sent with another text", nil
	}
	return "", nil
}

// Undo implements Action: compensating, since what was sent can't be taken back. It is a new message, so
// it has an id of its own.
func (m *Mail) Undo(ctx context.Context) error {
	return m.Submit(ctx, m.ID+"-correction", "Please disregard message "+m.ID+".")
}

// File writes a file, and reads it back and compares the hashes.
type File struct {
	Path string
	Data []byte
	// Write puts the data there; nil means os.WriteFile.
	Write func(path string, data []byte) error

	before []byte
	exists bool
}

// Do implements Action.
func (f *File) Do(context.Context) error {
	before, err := os.ReadFile(f.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f.before, f.exists = before, err == nil
	if f.Write != nil {
		return f.Write(f.Path, f.Data)
	}
	return os.WriteFile(f.Path, f.Data, 0o600)
}

// Verify implements Action.
func (f *File) Verify(context.Context) (string, error) {
	got, err := os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return "the file is not there", nil
	}
	if err != nil {
		return "", err
	}
	if want, is := sha256.Sum256(f.Data), sha256.Sum256(got); want != is {
		return fmt.Sprintf("the file's hash is %x, not %x", is[:4], want[:4]), nil
	}
	return "", nil
}

// Undo implements Action: in-band, the file as it was, or none.
func (f *File) Undo(context.Context) error {
	if f.exists {
		return os.WriteFile(f.Path, f.before, 0o600)
	}
	if err := os.Remove(f.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Resource creates a resource with a POST, and asks for it with a GET at the address that the answer
// names.
type Resource struct {
	Client *http.Client
	// URL is the collection; the answer's Location is below it.
	URL  string
	Body string

	location string
}

// Do implements Action.
func (r *Resource) Do(ctx context.Context) error {
	response, _, err := r.send(ctx, http.MethodPost, r.URL, r.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("POST %s: %s", r.URL, response.Status)
	}
	location, err := response.Location()
	if err != nil {
		return fmt.Errorf("POST %s: %w", r.URL, err)
	}
	r.location = location.String()
	return nil
}

// Verify implements Action.
func (r *Resource) Verify(ctx context.Context) (string, error) {
	response, body, err := r.send(ctx, http.MethodGet, r.location, "")
	switch {
	case err != nil:
		return "", err
	case response.StatusCode == http.StatusNotFound:
		return "the resource is not there", nil
	case response.StatusCode != http.StatusOK:
		return "", fmt.Errorf("GET %s: %s", r.location, response.Status)
	case body != r.Body:
		return fmt.Sprintf("the resource says %q", body), nil
	}
	return "", nil
}

// Undo implements Action: in-band, a DELETE; one that is not there is gone.
func (r *Resource) Undo(ctx context.Context) error {
	response, _, err := r.send(ctx, http.MethodDelete, r.location, "")
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 && response.StatusCode != http.StatusNotFound {
		return fmt.Errorf("DELETE %s: %s", r.location, response.Status)
	}
	return nil
}

// maxResourceBytes bounds what is read of an answer.
const maxResourceBytes = 1 << 20

func (r *Resource) send(ctx context.Context, method, url, body string) (*http.Response, string, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, "", err
	}
	client := r.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResourceBytes))
	return response, string(text), err
}
