/** What is taken hold of to move an entry of a list: two rows of dots, drawn in a square of 16. */
export const grip = 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01'
