// The parts of the page.

function part<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
    const found = document.getElementById(id);
    if (!(found instanceof kind)) {
        throw new Error(`the page has no ${id}`);
    }
    return found;
}

export const area = (id: string) => part(id, HTMLElement);
export const frame = (id: string) => part(id, HTMLIFrameElement);
export const list = (id: string) => part(id, HTMLUListElement);
export const select = (id: string) => part(id, HTMLSelectElement);
