import type { Sandbox } from '#main/sandbox/sandbox.ts'

/** What a test reads of an answer; text still encoded. */
export type Answered = { status: number; text: string; headers: Headers; body: AnsweredBody }

export type AnsweredBody = {
  total: Record<string, number | null>
  table: { headers: string[]; all: Cell[]; rows: Cell[][] }
  chart: Cell[][]
  query: Record<string, unknown>
  instances: { id: number | string; name: string; status: number }[]
  sources: string[]
  campaigns: string[]
  error: string
}

export type Cell = string | number | boolean | null

export type Asking = {
  token?: string
  form?: boolean
}

/** Asks an endpoint over HTTP, in JSON or, with `form`, as form fields given flat. */
export async function ask(
  sandbox: Pick<Sandbox, 'address' | 'tokens'>,
  path: string,
  parameters: Record<string, unknown> = {},
  { token = sandbox.tokens.admin, form = false }: Asking = {},
): Promise<Answered> {
  const given = { token, ...parameters }
  const fields = Object.entries(given).map(([name, value]): [string, string] => [name, String(value)])
  const response = await fetch(`${sandbox.address}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' },
    body: form ? new URLSearchParams(fields).toString() : JSON.stringify(given),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const body = (isJson ? JSON.parse(text) : {}) as AnsweredBody
  return { status: response.status, text, headers: response.headers, body }
}

/** Changes something by the control server. */
export async function control(sandbox: Pick<Sandbox, 'controlAddress'>, path: string, input: unknown) {
  const response = await fetch(`${sandbox.controlAddress}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** Decodes as the specification says; text with a broken escape is left as it came. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'))
  } catch {
    return text
  }
}

/** A label as a test compares it: decoded; of an instance its name. */
export function label(cell: Cell | undefined): string {
  const text = decode(String(cell))
  return text.startsWith('{') ? (JSON.parse(text) as { name: string }).name : text
}

export const labels = (body: AnsweredBody): string[] => body.table.rows.map(([first]) => label(first))
