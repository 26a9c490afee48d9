import { sayStored } from './working.ts'

// Whoever has asked for this, as a library may, has made the pipe one that refuses what it has no room for.
void process.stdout

/** Says more than a pipe holds, as fast as it can. */
for (let line = 0; line < 50_000; line += 1) sayStored(line)
