package checkpoint

import (
	"reflect"
	"testing"
	"time"

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

// A copy beside an earlier one says what the state says, whichever field the two differ in, and shares the
// rest with the earlier one.
func TestCloneBeside_SaysWhatTheStateSays(t *testing.T) {
	var old, s resolver.TaskState
	fill(reflect.ValueOf(&old).Elem())
	fill(reflect.ValueOf(&s).Elem())
	if c := cloneBeside(&s, &old); c.Proposal != old.Proposal || &c.Evidence[0] != &old.Evidence[0] || c.Operations[0].LastCallAt != old.Operations[0].LastCallAt {
		t.Error("what is the same is not shared")
	}
	changes := 0
	change(reflect.ValueOf(&s).Elem(), func() {
		changes++
		if diff := cmp.Diff(cloneState(&s), cloneBeside(&s, &old)); diff != "" {
			t.Errorf("a copy beside another state: %s", diff)
		}
	})
	if changes < 40 {
		t.Errorf("only %d changes: this walks nothing", changes)
	}
}

// change makes one change after the other, in every field that a state can reach, and takes each back.
func change(v reflect.Value, see func()) {
	switch v.Kind() {
	case reflect.Pointer:
		change(v.Elem(), see)
		set(v, reflect.Zero(v.Type()), see)
	case reflect.Slice:
		change(v.Index(0), see)
		set(v, reflect.Zero(v.Type()), see)
		set(v, reflect.MakeSlice(v.Type(), 0, 0), see)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				change(v.Field(i), see)
			}
		}
		if v.Type() == reflect.TypeFor[time.Time]() {
			set(v, reflect.ValueOf(time.Unix(1, 0)), see)
		}
	case reflect.String:
		set(v, reflect.ValueOf("y").Convert(v.Type()), see)
	case reflect.Bool:
		set(v, reflect.ValueOf(!v.Bool()), see)
	default:
		set(v, reflect.ValueOf(7).Convert(v.Type()), see)
	}
}

func set(v, to reflect.Value, see func()) {
	was := reflect.ValueOf(v.Interface())
	v.Set(to)
	see()
	v.Set(was)
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
