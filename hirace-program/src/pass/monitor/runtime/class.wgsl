// Who this invocation is and how many barriers that order CLASS memory it has passed.
var<private> hirace_CLASS_stamp: WORD;
