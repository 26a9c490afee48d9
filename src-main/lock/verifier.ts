import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { readJson } from '#shared/values/schemas.ts'

/** 64 MB and about a fifth of a second for each try: whoever has the entry cannot try many. */
const cost = { N: 2 ** 16, r: 8, p: 1 } as const
const bytes = 32

const entry = v.strictObject({
  N: v.pipe(v.number(), v.integer(), v.minValue(2 ** 14), v.maxValue(2 ** 20)),
  r: v.literal(cost.r),
  p: v.literal(cost.p),
  salt: v.pipe(v.string(), v.base64()),
  hash: v.pipe(v.string(), v.base64()),
})

function derive(passphrase: string, salt: Buffer, N: number): Promise<Buffer> {
  const { r, p } = cost
  return new Promise((resolve, reject) => {
    // The same letters may come composed or not, depending on the keyboard.
    scrypt(passphrase.normalize('NFC'), salt, bytes, { N, r, p, maxmem: 256 * N * r }, (error, hash) => {
      if (error) reject(error)
      else resolve(hash)
    })
  })
}

/** What a passphrase is checked against later; it cannot be made of it again. */
export async function verifierOf(passphrase: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(passphrase, salt, cost.N)
  return JSON.stringify({ ...cost, salt: salt.toString('base64'), hash: hash.toString('base64') })
}

/** Whether a passphrase is the one that a verifier was made of; false for what is no verifier. */
export async function fits(verifier: string, passphrase: string): Promise<boolean> {
  const read = readJson(entry, verifier)
  if (!read) return false
  const { N, salt, hash } = read
  const stored = Buffer.from(hash, 'base64')
  const derived = await derive(passphrase, Buffer.from(salt, 'base64'), N)
  return stored.length === derived.length && timingSafeEqual(stored, derived)
}
