package blackbox

type Progress struct{}
