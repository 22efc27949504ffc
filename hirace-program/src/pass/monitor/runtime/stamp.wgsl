// The stamp of accesses to CLASS memory: the ids of this invocation, and how many barriers that order this memory it has passed.
var<private> hirace_CLASS_stamp: WORD;
