import type { InstanceId } from '#shared/values/ids.ts'
import { Refusal } from '../contracts/handler.ts'
import type { TokenRights } from '../contracts/handler.ts'

/** Whether a token sees an instance. */
export function sees(rights: TokenRights, id: InstanceId): boolean {
  return rights.instances === null || rights.instances.includes(id)
}

/**
 * The instance that a request names.
 * @param id as it came, any text
 * @throws Refusal 403 where the token does not see it (or whether it exists), 404 where there is none
 */
export function requireInstance<I extends { readonly id: InstanceId }>(
  rights: TokenRights,
  id: string,
  instances: readonly I[],
): I {
  if (!sees(rights, id as InstanceId)) throw new Refusal(403, `The token has no right to the instance ${id}`)
  const found = instances.find((instance) => instance.id === id)
  if (found === undefined) throw new Refusal(404, `There is no instance ${id}`)
  return found
}
