package explorer

import (
	"errors"
	"sync"
	"sync/atomic"
)

// errGone stands for a job whose goroutine ended under it.
var errGone = errors.New("a job ended its goroutine and never came back (runtime.Goexit)")

// InParallel runs n jobs on a number of workers. Jobs store their results by index, so that what comes
// out does not depend on scheduling. The error returned is that of the lowest index; after an error no further
// job is begun. A job that panics has a *PanicError.
func InParallel(n, workers int, job func(i int) error) error {
	errs := make([]error, n)
	run := func(i int) (err error) {
		defer caught(&err)
		return job(i)
	}
	if workers <= 1 || n <= 1 {
		for i := range n {
			if errs[i] = run(i); errs[i] != nil {
				return errs[i]
			}
		}
		return nil
	}
	next := make(chan int)
	var failed atomic.Bool
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			// A worker that a job ended takes what is handed to it all the same: nobody else may be left to.
			defer func() {
				failed.Store(true)
				for i := range next {
					errs[i] = errGone
				}
			}()
			for i := range next {
				errs[i] = errGone
				if errs[i] = run(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	// Handed out in order, so that whatever has a lower index than an error has been begun.
	for i := 0; i < n && !failed.Load(); i++ {
		next <- i
	}
	close(next)
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
