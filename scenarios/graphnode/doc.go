// Package graphnode is one node of a graph that pauses for a person: when the run is resumed, the node
// runs again from its start, with whatever it wrote before the pause.
//
// The graph here does by itself what a framework's checkpointer and interrupt do. It takes a pause, and
// gives back the answer at the same place when the node runs again; it makes no write safe to repeat.
//
// It imports scenarios and what they import.
//
// Source: lesson "Side effects and retries", the same pause in LangGraph.
package graphnode
