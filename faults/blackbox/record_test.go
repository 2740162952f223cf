package blackbox_test

import (
	"testing"
)

func TestRecord_Careful(t *testing.T) {
	tr := record(t, target(t, "careful"))
	want := `sys.openat[effects]#1
sys.write[effects]#1
sys.fsync[effects]#1
sys.write[<stdout>]#1
sys.write[effects]#2
sys.fsync[effects]#2
sys.write[<stdout>]#2
sys.write[effects]#3
sys.fsync[effects]#3
sys.write[<stdout>]#3
`
	if got := names(tr.Calls); got != want {
		t.Errorf("calls:\n%swant:\n%s", got, want)
	}
}
