import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { readJson } from '#shared/values/schemas.ts'

/** 64 MB and about 0.2 s per attempt, so that the keychain entry cannot be brute-forced quickly. */
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
    // Keyboards may produce composed or decomposed letters.
    scrypt(passphrase.normalize('NFC'), salt, bytes, { N, r, p, maxmem: 256 * N * r }, (error, hash) => {
      if (error) reject(error)
      else resolve(hash)
    })
  })
}

/** Derives a salted hash of a passphrase, as JSON for the keychain. */
export async function verifierOf(passphrase: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(passphrase, salt, cost.N)
  return JSON.stringify({ ...cost, salt: salt.toString('base64'), hash: hash.toString('base64') })
}

/** Whether a passphrase matches a verifier; false if the verifier is malformed. */
export async function fits(verifier: string, passphrase: string): Promise<boolean> {
  const read = readJson(entry, verifier)
  if (!read) return false
  const { N, salt, hash } = read
  const stored = Buffer.from(hash, 'base64')
  const derived = await derive(passphrase, Buffer.from(salt, 'base64'), N)
  return stored.length === derived.length && timingSafeEqual(stored, derived)
}
