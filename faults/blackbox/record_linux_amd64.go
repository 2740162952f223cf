package blackbox

func newRecorder(string, folder) (*recorder, error) { return nil, nil }
func (l *life) observe(t *task, result int64)       {}
