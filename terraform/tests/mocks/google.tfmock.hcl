mock_data "google_project" {
  defaults = { number = "123456789012" }
}

mock_data "google_bigquery_default_service_account" {
  defaults = { email = "bq-123456789012@bigquery-encryption.iam.gserviceaccount.com" }
}

mock_data "google_storage_project_service_account" {
  defaults = { member = "serviceAccount:service-123456789012@gs-project-accounts.iam.gserviceaccount.com" }
}
