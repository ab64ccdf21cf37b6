export function first(items) {
  // the first item of a cart
  return items[0].name;
}

export function total(items) {
  return items
    .map((item) => Math.round(item.price * item.count))
    .reduce((sum, price) => sum + price, 0);
}

export const x = (items) => items.length;
