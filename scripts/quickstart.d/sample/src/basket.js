// Adds up what is in a shopping basket.

export function total(items, currency) {
  let sum = 0;
  const start = Date.now();
  for (const item of items) {
    debugger;
    sum += item.price * item.count;
  }
  if (currency == undefined) return sum;
  return `${sum} ${currency}`;
}

export function discount(level) {
  switch (level) {
    case "gold":
      return 0.2;
    case "silver":
      return 0.1;
    case "gold":
      return 0.3;
    default:
      return 0;
  }
}

export async function save(basket, store) {
  return store.put({ id: basket.id, items: basket.items, id: basket.key });
}
