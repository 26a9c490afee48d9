import type { Failure } from '#shared/api/failure.ts'

/**
 * The one error that this module throws. `failure` is plain data for the person; the error keeps no cause, because a
 * cause may hold more of the request than anyone should print.
 */
export class ServiceFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'ServiceFailure'
    this.failure = failure
  }
}

/** A failure before anything was sent: what was asked has certainly not been carried out. */
export class NeverSent extends ServiceFailure {}

/** A name that feedback has something against, and what: words fit to show, empty where it says nothing. */
export type NamedFault = readonly [name: string, words: string]

/** A refusal that names what it is about. The names stay with the error: whoever sent the request knows what they mean. */
export class RefusedByName extends ServiceFailure {
  readonly faults: readonly NamedFault[]

  constructor(failure: Failure, faults: readonly NamedFault[]) {
    super(failure)
    this.faults = faults
  }
}

/** A failure for an answer that is no answer of this interface; `what` says where reading it ended. */
export function malformed(what: string): ServiceFailure {
  return new ServiceFailure({
    kind: 'malformed',
    message:
      `The service sent an answer that cannot be read: ${what}. ` +
      'Try again; if it stays so, tell the people who run the service.',
  })
}

/** What answers here is something else: a web page, or JSON of another kind. */
export function noSuchService(): ServiceFailure {
  return new ServiceFailure({
    kind: 'malformed',
    message:
      'This address answers, but not as a Traffic Reporting Service. ' +
      'Check the service address, and whether the network asks you to sign in first.',
  })
}

export function cancelled(): ServiceFailure {
  return new ServiceFailure({ kind: 'cancelled', message: 'Cancelled.' })
}
