mod badge;
mod fixture;
mod html;
mod schema;
