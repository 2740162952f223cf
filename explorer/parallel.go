package explorer

import "sync"

// InParallel runs n jobs on a number of workers. Jobs store their results by index, so that what comes
// out does not depend on scheduling. The error returned is that of the lowest index.
func InParallel(n, workers int, job func(i int) error) error {
	errs := make([]error, n)
	if workers <= 1 || n <= 1 {
		for i := range n {
			if errs[i] = job(i); errs[i] != nil {
				return errs[i]
			}
		}
		return nil
	}
	next := make(chan int)
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			for i := range next {
				errs[i] = job(i)
			}
		})
	}
	for i := range n {
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
