import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Every way in which a secret may have been written down. */
function forms(secret: string): readonly Buffer[] {
  const bytes = Buffer.from(secret)
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return [
    bytes,
    Buffer.from(secret, 'utf16le'),
    Buffer.from(bytes.toString('hex')),
    Buffer.from(percent),
    Buffer.from(percent.toUpperCase()),
    ...base64Forms(bytes),
  ]
}

/** Base64 differs by where in a longer text the secret begins; what is the same in each of the three is looked for. */
function base64Forms(bytes: Buffer): Buffer[] {
  return [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return Buffer.from(
      whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
    )
  })
}

/** Whether a secret, in any form, lies in some bytes. */
export function holds(bytes: Buffer, secret: string): boolean {
  return forms(secret).some((form) => bytes.includes(form))
}

/** The files of a folder, at any depth, in whose names or bytes a secret lies in any form. */
export function filesWith(folder: string, secret: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => holds(Buffer.from(path), secret) || (isFile(path) && holds(readFileSync(path), secret)))
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
