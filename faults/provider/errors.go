package provider

import "errors"

var (
	// ErrSafeUnavailable is returned when a service whose 503 says that nothing changed is told to answer
	// 503 after a change: that would be another service.
	ErrSafeUnavailable = errors.New("this profile's 503 says that nothing changed")
	// ErrNoLookup is returned when a service that can't be asked is asked.
	ErrNoLookup = errors.New("this service can't be asked what happened")
	// ErrNoCancel is returned when a service that can't cancel by key is told to.
	ErrNoCancel = errors.New("this service can't cancel by key")
	// ErrTrouble is returned when a request carries a trouble that doesn't exist.
	ErrTrouble = errors.New("unknown trouble")
)
