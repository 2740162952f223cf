package services

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/paytwice/paytwice/resolver"
)

// ClientOptions says how a client calls. The zero value is a plain client.
type ClientOptions struct {
	// Caller is who calls; its faults are the other side's business and stay here.
	Caller Caller
	// Call returns the number of a call, which travels with it; nil or 0 means that nobody counts.
	Call func(seam, operation string) int
	// Transport sends the requests; nil means one of the client's own, which keeps connections open.
	Transport http.RoundTripper
	// Payment and Warehouse are what the services offer, where it is known; nil asks once.
	Payment, Warehouse *resolver.Capabilities
}

// Client is the services at the other end of a connection. Each call is at most one request: it is never
// sent again, neither here nor by the transport.
//
// Errors of every call: ErrTimeout for whatever leaves the outcome unknown, a broken connection or an
// answer that can't be read among it; ErrUnavailable, ErrInFlight and *RefusedError as the service says;
// another error when what was sent was no call.
// Concurrency: any number of goroutines.
type Client struct {
	base    string
	http    *http.Client
	options ClientOptions

	mu       sync.Mutex
	declared map[string]resolver.Capabilities
}

// NewClient returns a client of the services at an address such as http://127.0.0.1:8091.
func NewClient(baseURL string, o ClientOptions) *Client {
	c := &Client{base: strings.TrimSuffix(baseURL, "/"), options: o, declared: map[string]resolver.Capabilities{}}
	if o.Transport == nil {
		o.Transport = &http.Transport{}
	}
	// A redirect would send the request again, to somebody else.
	c.http = &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if o.Payment != nil {
		c.declared["payment"] = *o.Payment
	}
	if o.Warehouse != nil {
		c.declared["warehouse"] = *o.Warehouse
	}
	return c
}

// Services returns the services that the client calls.
func (c *Client) Services() resolver.Services {
	return resolver.Services{
		Orders:    remote{c, "orders"},
		Payment:   remotePayment{remote{c, "payment"}},
		Warehouse: remoteWarehouse{remote{c, "warehouse"}},
		Tickets:   remote{c, "tickets"},
		Policy:    remote{c, "policy"},
	}
}

// Close gives idle connections back.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// capabilities is the operation that asks what a service offers. It is no call on a seam, so nobody
// counts it.
const capabilities = "capabilities"

// call sends one call and reads its result into out.
func (c *Client) call(ctx context.Context, seam, operation string, in, out any) error {
	request, err := c.request(ctx, seam, operation, in)
	if err != nil {
		return fmt.Errorf("%s.%s: %w", seam, operation, err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("%s.%s: %w: %w", seam, operation, resolver.ErrTimeout, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	if err != nil {
		return fmt.Errorf("%s.%s: %w: %w", seam, operation, resolver.ErrTimeout, err)
	}
	if len(body) > maxAnswerBytes {
		return fmt.Errorf("%s.%s: %w: the answer is too long", seam, operation, resolver.ErrTimeout)
	}
	return read(response.StatusCode, body, out)
}

// maxAnswerBytes bounds an answer; the longest honest one lists a customer's orders.
const maxAnswerBytes = 8 * maxBodyBytes

func (c *Client) request(ctx context.Context, seam, operation string, in any) (*http.Request, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/"+seam+"/"+operation, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.GetBody = nil // with it the transport may send a request again by itself
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(HeaderTicket, c.options.Caller.TicketID)
	request.Header.Set(HeaderRun, c.options.Caller.RunID)
	if c.options.Call != nil && operation != capabilities {
		if n := c.options.Call(seam, operation); n > 0 {
			request.Header.Set(HeaderCall, strconv.Itoa(n))
		}
	}
	return request, nil
}

// read returns an answer as the result or the error that it is.
func read(status int, body []byte, out any) error {
	if status == http.StatusOK {
		if err := decode(bytes.NewReader(body), out); err != nil {
			return fmt.Errorf("%w: the answer can't be read: %w", resolver.ErrTimeout, err)
		}
		return nil
	}
	var f failure
	if err := decode(bytes.NewReader(body), &f); err != nil || f.Code == "" {
		return fmt.Errorf("%w: status %d with an answer that can't be read", resolver.ErrTimeout, status)
	}
	err := f.error(status)
	if f.Fault != "" {
		return &resolver.FaultError{Fault: f.Fault, Err: err}
	}
	return err
}

func (f failure) error(status int) error {
	switch status {
	case http.StatusServiceUnavailable:
		return resolver.ErrUnavailable
	case http.StatusConflict:
		return resolver.ErrInFlight
	case http.StatusUnprocessableEntity:
		return &resolver.RefusedError{Code: f.Code, Message: f.Message}
	case http.StatusGatewayTimeout:
		return resolver.ErrTimeout
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge:
		return fmt.Errorf("status %d: %s", status, f.Message)
	}
	return fmt.Errorf("%w: status %d: %s", resolver.ErrTimeout, status, f.Message)
}
