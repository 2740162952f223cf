module github.com/paytwice/paytwice/examples

go 1.26.0

replace github.com/paytwice/paytwice => ../

require (
	github.com/dbos-inc/dbos-transact-golang v1.8.0
	github.com/paytwice/paytwice v0.0.0
	github.com/riverqueue/river v0.51.2
	github.com/riverqueue/river/riverdriver/riversqlite v0.51.2
	github.com/stripe/stripe-go/v85 v85.0.0
	modernc.org/sqlite v1.62.0
)
