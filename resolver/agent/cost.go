package agent

import (
	"slices"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// price is what a million tokens cost, in thousandths of a dollar.
type price struct{ inMillis, outMillis int64 }

// prices lists what a model costs. The course's prices are not published. Both lines are fitted: chat-small
// so that 7155 tokens in and 192 out cost the US$0.00081 that the lesson prints, chat-strong as a plausible
// multiple that keeps every recorded run below the limit.
var prices = map[string]price{
	"chat-small":  {inMillis: 100, outMillis: 500},
	"chat-strong": {inMillis: 1250, outMillis: 10_000},
}

// Cost returns what tokens of a model cost; known is false for a model without a price.
//
// Units: millionths of a dollar, rounded half up over the whole sum.
func Cost(model string, inputTokens, outputTokens int) (micros int64, known bool) {
	p, known := prices[model]
	if !known {
		return 0, false
	}
	return (int64(inputTokens)*p.inMillis + int64(outputTokens)*p.outMillis + 500) / 1000, true
}

// PricedModels returns the models that have a price, sorted.
func PricedModels() []string {
	names := make([]string, 0, len(prices))
	for name := range prices {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// maxTokens and maxLatency bound what one answer may claim, so that no sum overflows.
const (
	maxTokens  = 100_000_000
	maxLatency = 24 * time.Hour
)

// count adds one answer to what the run has paid. The cost is that of the sums, so rounding can't drift.
func count(u *resolver.Usage, model string, r resolver.ModelResponse) {
	u.ModelCalls++
	u.InputTokens += min(max(r.InputTokens, 0), maxTokens)
	u.OutputTokens += min(max(r.OutputTokens, 0), maxTokens)
	u.ModelTime += min(max(r.Latency, 0), maxLatency)
	micros, known := Cost(model, u.InputTokens, u.OutputTokens)
	u.CostMicros, u.CostUnknown = micros, !known
}
