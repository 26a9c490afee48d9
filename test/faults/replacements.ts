import { createHash } from 'node:crypto'

/** An AppImage of a few megabytes, filled with one letter: the same in each process. */
export const appImageOf = (letter: string): Buffer =>
  Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01\x00AI\x02', 'latin1'), Buffer.alloc(5_000_000, letter)])

/** What a feed says of it. */
export function expectedOf(letter: string) {
  const bytes = appImageOf(letter)
  const sha512 = createHash('sha512').update(bytes).digest('hex')
  return { address: 'https://downloads.example/app', size: bytes.length, sha512 }
}
