package reports

import "reflect"

// clean returns a copy of a document in which every text is inert. What is written of it then obeys nothing,
// whichever fields a writer shows; keys of maps stay as they are.
func clean[D any](d D) D {
	out := reflect.New(reflect.TypeFor[D]()).Elem()
	cleanInto(out, reflect.ValueOf(d))
	return out.Interface().(D)
}

func cleanInto(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.String:
		to.SetString(inert(from.String()))
	case reflect.Struct:
		to.Set(from) // for what has no exported fields, such as a time
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				cleanInto(to.Field(i), from.Field(i))
			}
		}
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			cleanInto(to.Index(i), from.Index(i))
		}
	case reflect.Pointer:
		if from.IsNil() {
			return
		}
		to.Set(reflect.New(from.Type().Elem()))
		cleanInto(to.Elem(), from.Elem())
	default:
		to.Set(from)
	}
}
