import { encoded } from '../contracts/handler.ts'
import type { SandboxRequest } from '../contracts/handler.ts'

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds to an answer what concerns every endpoint: an echoed token, and members that no specification names. */
export function finished(data: unknown, token: string, { behaviour, path }: SandboxRequest): unknown {
  if (!isMembers(data)) return data
  const echoed = behaviour.echoesToken ? { token } : {}
  const unknown = behaviour.unknownMembers ? { served_by: encoded(`Sandbox 1 + ${path}`), revision: 3 } : {}
  const query = isMembers(data['query']) ? { query: { ...data['query'], ...echoed, ...unknown } } : {}
  return { ...data, ...query, ...unknown }
}
