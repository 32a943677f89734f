/**
 * A set of entities that empties in one step: a generation number per entity instead of clearing.
 */
export class EntityMarks {
  #generations = new Uint32Array(0);
  #generation = 0;

  /** Empties the set and makes room for `count` entities. */
  reset(count: number): void {
    if (this.#generations.length < count) {
      this.#generations = new Uint32Array(count);
      this.#generation = 0;
    }
    this.#generation += 1;
    if (this.#generation === 0xffffffff) {
      this.#generations.fill(0);
      this.#generation = 1;
    }
  }

  has(entity: number): boolean {
    return this.#generations[entity] === this.#generation;
  }

  /** Whether the entity is new in the set. */
  add(entity: number): boolean {
    if (this.#generations[entity] === this.#generation) return false;
    this.#generations[entity] = this.#generation;
    return true;
  }
}
