/** Something that a person can act on: shown as its words alone, without a stack. */
export class Failure extends Error {}

/**
 * Runs a script's body and turns what goes wrong into words and a non-zero exit code.
 *
 * @param {() => Promise<number>} body resolves to the exit code
 */
export async function main(body) {
  try {
    process.exitCode = await body()
  } catch (error) {
    process.stderr.write(
      `${error instanceof Failure ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
    )
    process.exitCode = 1
  }
}
