/** The thread that computes answers from what is kept. */
export {}
