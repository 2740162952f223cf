package child

import "os"

// pipes are what connects a child with its parent.
type pipes struct {
	says   *os.File // its lines
	told   *os.File // the order and the answers
	passes *os.File // the pass log
	// childs are the ends that the child inherits, in the order of their numbers.
	childs []*os.File
}

func newPipes() (*pipes, error) {
	var p pipes
	saysR, saysW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.says, p.childs = saysR, append(p.childs, saysW)
	toldR, toldW, err := os.Pipe()
	if err == nil {
		p.told, p.childs = toldW, append(p.childs, toldR)
		p.passes, err = newLogFile()
	}
	if err != nil {
		p.started()
		p.close()
		return nil, err
	}
	p.childs = append(p.childs, p.passes)
	return &p, nil
}

// started closes what only the child needs, once it has it.
func (p *pipes) started() {
	for _, f := range p.childs {
		if f != p.passes {
			_ = f.Close()
		}
	}
}

// close closes the parent's ends.
func (p *pipes) close() {
	for _, f := range []*os.File{p.says, p.told, p.passes} {
		if f != nil {
			_ = f.Close()
		}
	}
}
