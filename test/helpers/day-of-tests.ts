/**
 * Tests know no day but this: each file begins at this instant, and time goes on from there. `npm run test:days` names others.
 * The process's own `Date` is wrapped, so that a test's fake timers come on top of it and leave it behind.
 */
const usualInstant = '2026-11-26T10:15:00Z'

declare global {
  var dateOfTheMachine: DateConstructor | undefined
}

// A process runs many files: each wraps what the machine has, not what the file before it left.
const MachineDate = (globalThis.dateOfTheMachine ??= globalThis.Date)
const ahead = MachineDate.parse(process.env['TEST_INSTANT'] ?? usualInstant) - MachineDate.now()
const now = () => MachineDate.now() + ahead

globalThis.Date = new Proxy(MachineDate, {
  construct: (target, args, newTarget: typeof MachineDate) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  apply: (target) => new target(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
})

/**
 * A test file calls this first where something outside its process tells the time as well.
 * @param because what that is
 */
export function keepTimeOfMachine(because: string): void {
  void because
  globalThis.Date = MachineDate
}
