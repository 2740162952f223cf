package checkpoint

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
)

// Every pointer, slice and map that a state can hold is filled, copied, and must be another one in the
// copy. A field that a later build adds is found here before anybody shares it by mistake.
func TestCloneState_SharesNothing(t *testing.T) {
	var s resolver.TaskState
	fill(reflect.ValueOf(&s).Elem())
	c := cloneState(&s)
	if diff := cmp.Diff(&s, c); diff != "" {
		t.Error(diff)
	}
	shared(t, "state", reflect.ValueOf(s), reflect.ValueOf(*c))
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.String:
		v.SetString("x")
	}
}

func shared(t *testing.T, path string, a, b reflect.Value) {
	switch a.Kind() {
	case reflect.Pointer:
		if a.Pointer() == b.Pointer() {
			t.Errorf("%s is shared", path)
		}
		shared(t, path, a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Pointer() == b.Pointer() {
			t.Errorf("%s is shared", path)
		}
		shared(t, path+"[0]", a.Index(0), b.Index(0))
	case reflect.Map:
		if a.Pointer() == b.Pointer() {
			t.Errorf("%s is shared", path)
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() {
				shared(t, path+"."+f.Name, a.Field(i), b.Field(i))
			}
		}
	}
}
