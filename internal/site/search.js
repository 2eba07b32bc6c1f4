"use strict";
// The search: sections comes from search-index.js, MiniSearch from minisearch.js.
{
	const form = document.getElementById("search");
	const input = form.querySelector("input");
	const list = document.getElementById("found");
	const words = (text) => text.split(/[^\p{L}\p{N}_]+/u).filter((w) => w !== "");
	let index;
	const start = () => {
		if (index) return;
		index = new MiniSearch({ fields: ["title", "page", "text"], tokenize: words, searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" } });
		index.addAll(sections);
	};
	// excerpt returns the text around the first word that was found, and marks all that are in it.
	const excerpt = (text, terms) => {
		const small = document.createElement("small");
		const low = text.toLowerCase();
		// next returns where the first term at or after a place begins and ends.
		const next = (from) => {
			let [begin, end] = [text.length, text.length];
			for (const term of terms) {
				const i = low.indexOf(term, from);
				if (i >= 0 && (i < begin || (i === begin && i + term.length > end))) [begin, end] = [i, i + term.length];
			}
			return [begin, end];
		};
		const [first] = next(0);
		if (first === text.length) {
			small.textContent = text.slice(0, 120);
			return small;
		}
		let at = Math.max(0, first - 50);
		const last = Math.min(text.length, first + 100);
		if (at > 0) small.append("…");
		while (at < last) {
			const [begin, end] = next(at);
			small.append(text.slice(at, Math.min(begin, last)));
			if (begin < last) {
				const mark = document.createElement("mark");
				mark.textContent = text.slice(begin, end);
				small.append(mark);
			}
			at = begin < last ? end : last;
		}
		if (at < text.length) small.append("…");
		return small;
	};
	const search = () => {
		start();
		const found = index.search(input.value).slice(0, 12);
		list.replaceChildren(...found.map((f) => {
			const s = sections[f.id];
			const a = document.createElement("a");
			a.href = form.dataset.up + s.to;
			const title = document.createElement("span");
			title.textContent = s.title === s.page ? s.page : s.page + " › " + s.title;
			a.append(title, excerpt(s.text, f.terms));
			const li = document.createElement("li");
			li.append(a);
			return li;
		}));
		if (found.length === 0 && input.value.trim() !== "") {
			const li = document.createElement("li");
			li.textContent = "Nothing found.";
			list.append(li);
		}
		list.hidden = input.value.trim() === "";
	};
	input.addEventListener("input", search);
	input.addEventListener("focus", start);
	form.addEventListener("submit", (e) => {
		e.preventDefault();
		list.querySelector("a")?.click();
	});
	const asked = new URLSearchParams(location.search).get("q"); // index.html?q=words
	if (asked) {
		input.value = asked;
		search();
	}
	document.addEventListener("keydown", (e) => {
		if (e.key === "Escape") list.hidden = true;
		if (e.key === "/" && document.activeElement !== input) {
			e.preventDefault();
			input.focus();
		}
	});
	document.addEventListener("click", (e) => {
		if (!form.contains(e.target)) list.hidden = true;
	});
}
