package scenarios

// BareMain is what the test binary does instead of its tests when it is one of the bare lives of a
// benchmark.
var BareMain = bareMain
