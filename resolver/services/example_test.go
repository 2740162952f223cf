package services_test

import (
	"context"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

// The answer to the first call is lost. The same name sent again changes nothing more.
func Example() {
	world := services.NewMemory(services.Config{Now: func() time.Time { return time.Date(2026, 10, 9, 21, 0, 0, 0, time.UTC) }})
	fault, err := services.ParseFault("request_refund:timeout_after_write")
	if err != nil {
		panic(err)
	}
	payment := world.Services(services.Caller{TicketID: "T-90104", Faults: []services.Fault{fault}}).Payment

	action := resolver.Action{Tool: resolver.RequestRefund, OrderID: "LK-793996", AmountCents: 995, ReasonCode: "RFD-LATE"}
	request := resolver.WriteRequest{TicketID: "T-90104", Key: resolver.OperationID("T-90104", action), Action: action}
	_, err = payment.RequestRefund(context.Background(), request)
	fmt.Println("first call:", err)
	change, err := payment.RequestRefund(context.Background(), request)
	fmt.Println("second call:", change.OperationID, "repeated:", change.Repeated, err)

	changes, err := world.Changes(context.Background())
	fmt.Println("refunds:", len(changes), err)
	// Output:
	// first call: timeout
	// second call: 797fbb5bbb9f8a7e repeated: true <nil>
	// refunds: 1 <nil>
}
