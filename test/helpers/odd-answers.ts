import { scriptedServer } from './scripted-server.ts'
import type { Script, ScriptedServer } from './scripted-server.ts'

/** What becomes of a service's own answer on its way. */
export type Oddly =
  /** Under another status, as it is. */
  | { readonly kind: 'status'; readonly status: number }
  /** Under another status, without its body. */
  | { readonly kind: 'bare'; readonly status: number }
  /** Its letters as such, not percent-encoded: in Latin-1, which the header says or not, or in UTF-8 under a header that lies. */
  | { readonly kind: 'charset'; readonly written: 'latin1' | 'unsaid-latin1' | 'lying' }
  /** Another one in its place. */
  | { readonly kind: 'body'; readonly body: string }
  /** The service does what it is asked, and the line is cut. */
  | { readonly kind: 'drop' }

/** What happens at the paths that a text is part of. */
export type OddPaths = Readonly<Record<string, Oddly>>

/** The letters from U+00C0 to U+00FF that a service percent-encodes, as letters. */
const withLetters = (text: string) =>
  text.replace(/%C3%([89AB][0-9A-F])/gi, (_, byte: string) =>
    String.fromCodePoint(0xc0 + Number.parseInt(byte, 16) - 0x80),
  )

type Passed = { readonly status: number; readonly body: Buffer; readonly contentType: string }

function changed(passed: Passed, oddly: Exclude<Oddly, { kind: 'drop' }>): Passed {
  switch (oddly.kind) {
    case 'status':
      return { ...passed, status: oddly.status }
    case 'bare':
      return { ...passed, status: oddly.status, body: Buffer.alloc(0) }
    case 'body':
      return { ...passed, status: 200, body: Buffer.from(oddly.body) }
    case 'charset': {
      const { written } = oddly
      const encoding = written === 'lying' ? 'utf8' : 'latin1'
      const said = written === 'unsaid-latin1' ? '' : '; charset=ISO-8859-1'
      return {
        ...passed,
        body: Buffer.from(withLetters(passed.body.toString()), encoding),
        contentType: `application/json${said}`,
      }
    }
  }
}

/** Stands before a service and answers some of its paths oddly. */
export async function answersOddly(
  address: string,
  odd: OddPaths = {},
): Promise<ScriptedServer & { readonly be: (odd: OddPaths) => void }> {
  let paths = odd
  const script: Script = (request, response) => {
    const pass = async () => {
      const answer = await fetch(`${address}${request.path}`, {
        method: request.method,
        headers: { 'content-type': request.headers['content-type'] ?? '', 'accept-encoding': 'identity' },
        body: request.body,
      })
      const passed = {
        status: answer.status,
        body: Buffer.from(await answer.arrayBuffer()),
        contentType: answer.headers.get('content-type') ?? '',
      }
      const oddly = Object.entries(paths).find(([part]) => request.path.includes(part))?.[1]
      if (oddly?.kind === 'drop') return void response.destroy()
      const { status, body, contentType } = oddly ? changed(passed, oddly) : passed
      response.writeHead(status, { 'content-type': contentType })
      response.end(body)
    }
    pass().catch(() => response.destroy())
  }
  const server = await scriptedServer(script)
  return {
    ...server,
    be: (next) => {
      paths = next
    },
  }
}
