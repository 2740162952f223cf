module github.com/paytwice/paytwice/faults/internal/bench

go 1.26.0

replace github.com/paytwice/paytwice => ../../..

require (
	github.com/paytwice/paytwice v0.0.0
	github.com/pingcap/failpoint v0.0.0-20240528011301-b51a646c7c86
	go.etcd.io/gofail v0.2.0
)

require github.com/pingcap/errors v0.11.4 // indirect
