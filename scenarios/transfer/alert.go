package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
)

// Alert tells a person of a run that only a person can go on with. The same alert may come more than once.
type Alert struct {
	ID   string `json:"id"`
	Run  string `json:"run"`
	Text string `json:"text"`
}

// Alerter takes an alert to a person.
//
// Errors: nobody may have heard it. It must not be swallowed: a line in a log is no alert.
type Alerter interface {
	Raise(ctx context.Context, a Alert) error
}

// Webhook sends an alert as a POST request with a JSON body to an address. Only a status of 200 to 299
// says that it was heard.
type Webhook struct {
	URL    string
	Client *http.Client
}

// Raise implements Alerter.
func (h Webhook) Raise(ctx context.Context, a Alert) error {
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("alert %s: %w", a.ID, err)
	}
	request.Header.Set("Content-Type", "application/json")
	client := h.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("alert %s: %w", a.ID, err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("alert %s: the webhook answered %s", a.ID, response.Status)
	}
	return nil
}

// Command runs a program with the alert as JSON on its standard input. Only exit code 0 says that it was
// heard.
type Command struct {
	Path string
	Args []string
}

// Raise implements Alerter.
func (c Command) Raise(ctx context.Context, a Alert) error {
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Stdin = bytes.NewReader(body)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("alert %s: %s: %w: %s", a.ID, c.Path, err, bytes.TrimSpace(out))
	}
	return nil
}
