/**
 * Makes an object whose fields are computed when they are first read, each once.
 *
 * @param check is called before each computation; what it throws is thrown to the reader
 */
export function lazy<T extends object>(
  fields: { readonly [K in keyof T]: () => T[K] },
  check: () => void = () => {},
): T {
  const made = {};
  const define = (name: string, property: PropertyDescriptor) =>
    Object.defineProperty(made, name, { enumerable: true, configurable: true, ...property });
  for (const [name, compute] of Object.entries<() => unknown>(fields)) {
    define(name, {
      get() {
        check();
        const value = compute();
        define(name, { value });
        return value;
      },
    });
  }
  return made as T;
}
